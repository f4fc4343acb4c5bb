package org.rowlock.jmh.bench;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import javax.net.SocketFactory;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Counts round trips: how often a thread turns from sending to waiting for an answer. The driver sends and reads on the
 * caller's thread. Counting costs some nanoseconds a round trip. Public for the driver, which makes it by name.
 */
public final class CountingSocketFactory extends SocketFactory {
    private static final ThreadLocal<int[]> ROUND_TRIPS = ThreadLocal.withInitial(() -> new int[1]);

    /** Whether round trips can be counted: not where the server's URL has a socket factory of its own. */
    static boolean canCount(BenchmarkServer server) {
        return server.dataSource().getSocketFactory() == null;
    }

    /** A connection in autocommit whose round trips are counted if they can be. */
    static Connection connect(BenchmarkServer server) throws SQLException {
        PGSimpleDataSource dataSource = server.dataSource();
        if (canCount(server)) {
            dataSource.setSocketFactory(CountingSocketFactory.class.getName());
        }
        return dataSource.getConnection();
    }

    /** How many this thread has waited for, of all connections made by this factory. */
    static int roundTrips() {
        return ROUND_TRIPS.get()[0];
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    /** A connection of the driver's is used by one thread at a time, which hands it over safely. */
    private static final class CountingSocket extends Socket {
        private boolean sending;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int b) throws IOException {
                    sending = true;
                    out.write(b);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    sending = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    countIfTurned();
                    return super.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    countIfTurned();
                    return super.read(bytes, offset, length);
                }
            };
        }

        private void countIfTurned() {
            if (sending) {
                sending = false;
                ROUND_TRIPS.get()[0]++;
            }
        }
    }
}
