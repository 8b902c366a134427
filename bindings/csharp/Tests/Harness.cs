// The tests run in Unity's test runner, and elsewhere as a program with these few parts of NUnit.
#if !UNITY_INCLUDE_TESTS
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;

namespace NUnit.Framework
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TestAttribute : Attribute
    {
    }

    public sealed class AssertionException : Exception
    {
        public AssertionException(string message)
            : base(message)
        {
        }
    }

    public static class Assert
    {
        public static void AreEqual(object expected, object actual, string about = "")
        {
            bool same = expected is IEnumerable rows && !(expected is string)
                ? actual is IEnumerable others
                    && rows.Cast<object>().SequenceEqual(others.Cast<object>())
                : Equals(expected, actual);
            if (!same)
                throw new AssertionException(
                    $"{about} expected {Text(expected)}, got {Text(actual)}");
        }

        private static string Text(object value) =>
            value is IEnumerable rows && !(value is string)
                ? "[" + string.Join(", ", rows.Cast<object>().Take(20)) + "]"
                : $"{value ?? "null"}";

        public static void IsTrue(bool condition, string about = "")
        {
            if (!condition)
                throw new AssertionException($"{about} is not so");
        }

        public static T Throws<T>(Action act)
            where T : Exception
        {
            try
            {
                act();
            }
            catch (Exception error) when (error.GetType() == typeof(T))
            {
                return (T)error;
            }

            throw new AssertionException($"no {typeof(T).Name}");
        }
    }
}

namespace Fixsync.Tests
{
    public static class Program
    {
        public static int Main(string[] arguments)
        {
            int passed = 0;
            var failed = new List<string>();
            var clock = Stopwatch.StartNew();
            foreach (Type type in typeof(Program).Assembly.GetTypes().OrderBy(t => t.Name))
            {
                foreach (MethodInfo test in type.GetMethods().OrderBy(m => m.Name))
                {
                    if (test.GetCustomAttribute<NUnit.Framework.TestAttribute>() == null)
                        continue;
                    string name = $"{type.Name}.{test.Name}";
                    if (arguments.Length > 0 && !name.Contains(arguments[0]))
                        continue;
                    try
                    {
                        test.Invoke(Activator.CreateInstance(type), null);
                        passed++;
                    }
                    catch (TargetInvocationException error)
                    {
                        failed.Add($"{name}: {error.InnerException}");
                        Console.WriteLine($"FAILED {failed.Last()}");
                    }
                }
            }

            Console.WriteLine($"{clock.ElapsedMilliseconds} ms");
            Console.WriteLine($"{passed} passed, {failed.Count} failed");
            return failed.Count == 0 && passed > 0 ? 0 : 1;
        }
    }
}
#endif
