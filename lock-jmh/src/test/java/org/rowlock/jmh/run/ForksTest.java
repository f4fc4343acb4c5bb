package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.net.Network;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks how forks end. An ended fork may leave a transaction that waits for a standby. */
class ForksTest {
    @Test
    void theProxyOfAStandbyOutlivesTheForks() throws Exception {
        TestPostgres server = TestPostgres.shared();
        PGSimpleDataSource target = server.dataSource();
        Process fork = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.rowlock.jmh.net.ProxyProcess",
                        target.getServerNames()[0],
                        Integer.toString(target.getPortNumbers()[0]))
                .start();
        Network network = Network.open(new ServerAddress(server.url(), server.user(), server.password()), 1);
        try {
            Forks.end();
            assertThat(fork.isAlive()).isFalse();
            assertThat(network.isOpen()).isTrue();
        } finally {
            fork.destroyForcibly();
            network.close();
        }
    }
}
