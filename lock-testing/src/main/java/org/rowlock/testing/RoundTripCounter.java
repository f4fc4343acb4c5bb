package org.rowlock.testing;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A socket factory that counts round trips: how often a thread changes from sending to reading. The driver sends and
 * reads on the caller's thread. Counting costs some nanoseconds per round trip. The class is public because the driver
 * creates the factory by name.
 */
public final class RoundTripCounter extends SocketFactory {
    private static final ThreadLocal<int[]> ROUND_TRIPS = ThreadLocal.withInitial(() -> new int[1]);

    /** The number of round trips of the current thread, over all connections. */
    public static int counted() {
        return ROUND_TRIPS.get()[0];
    }

    /** Makes a data source count the round trips of its connections. */
    public static PGSimpleDataSource counting(PGSimpleDataSource dataSource) {
        dataSource.setSocketFactory(RoundTripCounter.class.getName());
        return dataSource;
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

    /** A socket that counts. The driver uses a socket on only one thread at a time. */
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
