package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Refusals.retryable;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.TestDatabase;

/**
 * A pooler that gives each statement a session of its own and hides it, as Odyssey does with {@code pool "statement"}:
 * a lock is gone before the next statement, which verify() says once and for all.
 */
class StatementPoolerTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @BeforeEach
    void needsAServerThatAsksForNoPassword() throws SQLException {
        PGSimpleDataSource anonymous = database.dataSource();
        anonymous.setPassword(null);
        try {
            anonymous.getConnection().close();
        } catch (SQLException e) {
            // The driver's own state, and the server's for a wrong password.
            if (!Set.of("08004", "28P01").contains(e.getSQLState())) {
                throw e;
            }
            assumeTrue(false, "The pooler repeats a login, and cannot log in where a password is asked for: " + e);
        }
    }

    @EveryStrategy
    void isRefusedForGood(RowLocks locks) throws Exception {
        StatementPooler pooler = database.closing(new StatementPooler(database.dataSource(), Integer.MAX_VALUE));
        assertThatThrownBy(() -> on(locks, pooler.dataSource()).verify())
                .isInstanceOf(LockVerificationException.class)
                .satisfies(retryable(false))
                .hasMessageContainingAll("two sessions", "pool_mode = transaction", "pool \"transaction\"");
    }

    /** So that the pooler of this test does nothing else. */
    @Test
    void passesWhereEachClientKeepsItsSession() throws Exception {
        StatementPooler pooler = database.closing(new StatementPooler(database.dataSource(), 0));
        RowLocks.of(pooler.dataSource()).verify();
        assertThat(pooler.statements.get()).isPositive();
    }

    /** As a server that fails over behind a pooler. */
    @Test
    @Tag("long")
    void passesWhereASessionIsExchangedOnce() throws Exception {
        for (int at : new int[] {1, 9, 23}) {
            try (StatementPooler pooler = new StatementPooler(database.dataSource(), 1)) {
                pooler.quiet.set(at);
                RowLocks.of(pooler.dataSource()).verify();
                assertThat(pooler.exchanges.get()).isNotPositive();
            }
        }
    }

    /** Speaks as much of the protocol as it takes to tell one statement from the next. */
    private static final class StatementPooler implements AutoCloseable {
        private static final int SSL_REQUEST = 80877103;
        private static final int GSS_REQUEST = 80877104;

        final AtomicInteger statements = new AtomicInteger();
        final AtomicInteger exchanges;

        /** How many statements stay in their session first. */
        final AtomicInteger quiet = new AtomicInteger();

        private final PGSimpleDataSource server;
        private final ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());

        StatementPooler(PGSimpleDataSource server, int exchanges) throws IOException {
            this.server = server;
            this.exchanges = new AtomicInteger(exchanges);
            start(() -> {
                while (true) {
                    Socket client = listener.accept();
                    start(() -> serve(client));
                }
            });
        }

        DataSource dataSource() {
            PGSimpleDataSource through = new PGSimpleDataSource();
            through.setUrl(server.getUrl());
            through.setUser(server.getUser());
            through.setPassword(server.getPassword());
            through.setServerNames(new String[] {"localhost"});
            through.setPortNumbers(new int[] {listener.getLocalPort()});
            // A statement that is prepared in one session is not known to another.
            through.setPrepareThreshold(0);
            return through;
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }

        private interface Part {
            void run() throws IOException;
        }

        private static void start(Part part) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            part.run();
                        } catch (EOFException | SocketException ended) {
                            // By either side.
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    },
                    "statement-pooler");
            thread.setDaemon(true);
            thread.start();
        }

        private void serve(Socket client) throws IOException {
            try (client;
                    Socket one = connect();
                    Socket other = connect()) {
                client.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                byte[] startup = startup(in, out);
                List<Socket> sessions = List.of(one, other);
                for (Socket session : sessions) {
                    session.getOutputStream().write(startup);
                    byte[] answer = untilReady(session);
                    if (session == one) {
                        out.write(answer);
                    }
                }
                for (int turn = 0; ; ) {
                    Socket session = sessions.get(turn);
                    session.getOutputStream().write(untilSync(in));
                    byte[] answer = untilReady(session);
                    out.write(answer);
                    statements.incrementAndGet();
                    boolean stays = quiet.getAndDecrement() > 0 || exchanges.getAndDecrement() <= 0;
                    if (!stays) {
                        turn = 1 - turn;
                        if (answer[answer.length - 1] != 'I') {
                            session.getOutputStream().write(query("rollback"));
                            byte[] unused = untilReady(session);
                        }
                    }
                }
            }
        }

        private Socket connect() throws IOException {
            Socket session = new Socket(server.getServerNames()[0], server.getPortNumbers()[0]);
            session.setTcpNoDelay(true);
            return session;
        }

        private static byte[] query(String sql) {
            byte[] text = sql.getBytes(StandardCharsets.US_ASCII);
            return ByteBuffer.allocate(text.length + 6)
                    .put((byte) 'Q')
                    .putInt(text.length + 5)
                    .put(text)
                    .put((byte) 0)
                    .array();
        }

        private static byte[] startup(DataInputStream in, DataOutputStream out) throws IOException {
            while (true) {
                int length = in.readInt();
                int code = in.readInt();
                if (code != SSL_REQUEST && code != GSS_REQUEST) {
                    return ByteBuffer.allocate(length)
                            .putInt(length)
                            .putInt(code)
                            .put(in.readNBytes(length - 8))
                            .array();
                }
                out.write('N');
            }
        }

        /** The messages up to ReadyForQuery, whose last byte says whether there is a transaction. */
        private static byte[] untilReady(Socket session) throws IOException {
            DataInputStream in = new DataInputStream(session.getInputStream());
            ByteArrayOutputStream messages = new ByteArrayOutputStream();
            while (copy(in, messages) != 'Z') {}
            return messages.toByteArray();
        }

        private static byte[] untilSync(DataInputStream in) throws IOException {
            ByteArrayOutputStream messages = new ByteArrayOutputStream();
            for (int type = 0; type != 'S' && type != 'Q' && type != 'X'; ) {
                type = copy(in, messages);
            }
            return messages.toByteArray();
        }

        private static int copy(DataInputStream in, ByteArrayOutputStream messages) throws IOException {
            int type = in.readUnsignedByte();
            int length = in.readInt();
            DataOutputStream copy = new DataOutputStream(messages);
            copy.writeByte(type);
            copy.writeInt(length);
            copy.write(in.readNBytes(length - 4));
            return type;
        }
    }
}
