package org.rowlock.examples.start;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A network between this program and its database: what is sent arrives later, in either direction. */
final class SlowNetwork implements AutoCloseable {
    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final long oneWayNanos;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /**
     * @param host of the server behind it
     * @param port of the server behind it
     * @param roundTrip what it adds to a round trip, at least
     */
    SlowNetwork(String host, int port, Duration roundTrip) throws IOException {
        this.host = host;
        this.port = port;
        this.oneWayNanos = roundTrip.toNanos() / 2;
        this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start("network", this::accept);
    }

    /** Where it listens, on the loopback address. */
    int port() {
        return listener.getLocalPort();
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                Socket server = new Socket(host, port);
                sockets.add(server);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                start("to-server", () -> pass(client, server));
                start("to-client", () -> pass(server, client));
            } catch (IOException e) {
                // It is closed, or the server is not there: the client sees its connection closed.
                close(sockets);
            }
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] bytes = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                LockSupport.parkNanos(oneWayNanos);
                out.write(bytes, 0, read);
            }
        } catch (IOException e) {
            // One side is gone, and try closes the other.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static void close(Set<Socket> sockets) {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is gone, which is what was wanted.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        close(sockets);
    }
}
