package org.rowlock.jmh;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.jmh.cli.Program;
import org.rowlock.jmh.profile.PostgresProfiler;

/** The jar's entry: a friendlier front for some first arguments, and JMH itself for all others. */
public final class BenchmarksMain {
    private BenchmarksMain() {}

    /**
     * Runs a command of ours, or JMH.
     *
     * @param args for either
     */
    public static void main(String[] args) throws Exception {
        if (Program.takes(args)) {
            Charset charset = Charset.defaultCharset();
            System.exit(Program.run(
                    new PrintWriter(System.out, true, charset), new PrintWriter(System.err, true, charset), args));
        }
        // Ours says what else a run came to: latencies, WAL, wait events. One that the user names stands beside it.
        List<String> all = new ArrayList<>(List.of(args));
        if (all.stream().noneMatch(arg -> arg.startsWith(PostgresProfiler.class.getName()))) {
            all.addAll(List.of("-prof", PostgresProfiler.class.getName()));
        }
        org.openjdk.jmh.Main.main(all.toArray(String[]::new));
    }
}
