package org.rowlock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A Pgpool-II that a test starts in front of a primary and its standby, if Pgpool-II is installed. Pgpool-II sends
 * reads to both servers.
 */
public final class TestPgpool implements AutoCloseable {
    private final PoolerProcess process;
    private final StreamingPair servers;
    private final int port;

    private TestPgpool(PoolerProcess process, StreamingPair servers, int port) {
        this.process = process;
        this.servers = servers;
        this.port = port;
    }

    public static Optional<Path> program() {
        return PoolerProcess.program("pgpool");
    }

    /**
     * Starts a Pgpool-II.
     *
     * @param settings further settings
     */
    public static TestPgpool start(StreamingPair servers, Map<String, String> settings) throws IOException {
        int port = TestPostgres.freePort();
        Path directory = PoolerProcess.directory("pgpool");
        List<String> lines = new ArrayList<>(List.of(
                "listen_addresses = '127.0.0.1'",
                "port = " + port,
                "pcp_listen_addresses = ''",
                "pcp_port = " + TestPostgres.freePort(),
                "pid_file_name = '" + directory.resolve("pgpool.pid") + "'",
                "logdir = '" + directory + "'",
                "backend_clustering_mode = 'streaming_replication'",
                "load_balance_mode = on",
                "enable_pool_hba = off",
                "sr_check_user = 'postgres'",
                "sr_check_period = 1",
                "health_check_period = 0",
                "failover_on_backend_error = off",
                "connection_cache = off",
                "num_init_children = 40"));
        // Versions before 4.4 use other names for the socket settings. Each version ignores unknown settings.
        for (String name : List.of("socket_dir", "pcp_socket_dir", "unix_socket_directories", "wd_ipc_socket_dir")) {
            lines.add(name + " = '" + directory + "'");
        }
        for (int i = 0; i < servers.ports().size(); i++) {
            lines.add("backend_hostname" + i + " = '127.0.0.1'");
            lines.add("backend_port" + i + " = " + servers.ports().get(i));
            lines.add("backend_weight" + i + " = 1");
        }
        settings.forEach((name, value) -> lines.add(name + " = '" + value + "'"));
        Path conf = Files.write(directory.resolve("pgpool.conf"), lines);
        Path none = Files.createFile(directory.resolve("none"));
        PoolerProcess process = PoolerProcess.start(
                directory,
                servers.primary().dataSourceAt(port),
                program().orElseThrow().toString(),
                "-n",
                "-f",
                conf.toString(),
                "-F",
                none.toString(),
                "-a",
                none.toString());
        return new TestPgpool(process, servers, port);
    }

    /** Returns a data source of connections through Pgpool-II. The connections time out if Pgpool-II hangs. */
    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = servers.primary().dataSourceAt(port);
        dataSource.setSocketTimeout((int) TestDatabase.DEADLINE.toSeconds());
        return dataSource;
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
