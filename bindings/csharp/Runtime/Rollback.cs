namespace Fixsync
{
    /// <summary>A confirmed frame: scores, sounds, the match log. It is used again by the next
    /// confirm.</summary>
    public sealed class ConfirmedFrame
    {
        /// <summary>Its number.</summary>
        public uint Frame { get; internal set; }

        /// <summary>Of the world right after its step.</summary>
        public ulong Hash { get; internal set; }

        /// <summary>Of a Rollback: the hash of the world after the frame, reactions included, as a
        /// log with a sim has it.</summary>
        public ulong WorldHash { get; internal set; }

        /// <summary>Of a Rollback: the hash of the world and the own bytes then.</summary>
        public ulong State { get; internal set; }

        /// <summary>As the world took them.</summary>
        public Rows<Command> Commands { get; } = new Rows<Command>();

        /// <summary>Of the step, then the game's own.</summary>
        public Rows<Event> Events { get; } = new Rows<Event>();
    }
}
