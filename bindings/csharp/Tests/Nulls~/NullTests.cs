#nullable enable
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>Compiles without a warning: what may be null is said to the compiler.</summary>
    public class NullTests
    {
        [Test]
        public void TheCompilerKnowsWhatMayBeNull()
        {
            var world = new World(4, null, level: null);
            Assert.AreEqual(0, world.Level?.Count ?? 0);
#if WRONG
            Assert.AreEqual(0, world.Level.Count); // a warning
#endif
            using (var peer = new Rollback(new RollbackTests.Game(), new byte[2]))
            {
                byte[]? kept = peer.Kept(Part.World);
                Assert.IsTrue(kept == null);
            }

            Assert.IsTrue(!new Fix(1).Equals(null));
        }
    }
}
