package org.rowlock.jmh;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rowlock.jmh.cli.Mistyped;
import org.rowlock.jmh.cli.Program;
import org.rowlock.jmh.profile.PostgresProfiler;

/** The jar's entry: a friendlier front for some first arguments, and JMH itself for all others. */
public final class Main {
    private Main() {}

    /**
     * Runs a command of ours, or JMH.
     *
     * @param args for either
     */
    public static void main(String[] args) throws Exception {
        Charset charset = Charset.defaultCharset();
        Program program =
                new Program(new PrintWriter(System.out, true, charset), new PrintWriter(System.err, true, charset));
        if (program.takes(args)) {
            System.exit(program.run(args));
        }
        Optional<String> hint = new Mistyped(program).hint(args);
        if (hint.isPresent()) {
            System.err.println(hint.get());
            System.exit(2);
        }
        org.openjdk.jmh.Main.main(profiled(args));
    }

    /** Ours says what else a run came to: latencies, WAL, wait events. One that the user names stands beside it. */
    private static String[] profiled(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        if (all.stream().noneMatch(arg -> arg.startsWith(PostgresProfiler.class.getName()))) {
            all.addAll(List.of("-prof", PostgresProfiler.class.getName()));
        }
        return all.toArray(String[]::new);
    }
}
