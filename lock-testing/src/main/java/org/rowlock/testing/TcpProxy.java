package org.rowlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A proxy between clients and a server. A test controls the proxy. The proxy can delay all bytes, stop delivery, or
 * close a connection at a statement. The connection is closed either before the server receives the statement or after
 * the server has executed it.
 *
 * <p>Two threads serve all connections: one thread reads, and the other sends the bytes that are due.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int CHUNK = 1 << 16;

    private final InetSocketAddress server;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final DelayedSender sender = new DelayedSender();
    private final Set<TcpProxyLink> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Cut> armed = new AtomicReference<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile boolean delayOnly;
    private volatile long nanosToServer;
    private volatile long nanosToClient;

    /** The rule for closing a connection: at the next statement that contains the text. */
    private record Cut(String text, boolean executed) {}

    private TcpProxy(InetSocketAddress server) throws IOException {
        this.server = server;
        this.selector = Selector.open();
        this.listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        Thread reader = new Thread(this::read, "proxy-reader");
        reader.setDaemon(true);
        reader.start();
    }

    public static TcpProxy to(String host, int port) throws IOException {
        return new TcpProxy(new InetSocketAddress(host, port));
    }

    public static TcpProxy to(PGSimpleDataSource dataSource) throws IOException {
        return to(dataSource.getServerNames()[0], dataSource.getPortNumbers()[0]);
    }

    /** The port of the proxy on the loopback address. */
    public int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    public PGSimpleDataSource through(PGSimpleDataSource dataSource) throws IOException {
        dataSource.setServerNames(new String[] {"127.0.0.1"});
        dataSource.setPortNumbers(new int[] {port()});
        return dataSource;
    }

    /** Delays all bytes by these times from now on. A round trip takes longer by the sum of the delays. */
    public void delay(Duration toServer, Duration toClient) {
        nanosToServer = toServer.toNanos();
        nanosToClient = toClient.toNanos();
    }

    /**
     * Makes the proxy use less processor time, for measurements. It no longer spins before bytes are due, so that bytes
     * arrive about 50 us later. It also reads no statements, so that {@link #cutBefore} and {@link #cutAfter} have no
     * effect.
     */
    public void delayOnly() {
        delayOnly = true;
        sender.sleepOnly();
    }

    /** Closes the connection that next sends a statement with this text. The server never receives the statement. */
    public void cutBefore(String text) {
        armed.set(new Cut(text, false));
    }

    /**
     * Closes the connection that next executes a statement with this text. The client never receives the server's
     * reply.
     */
    public void cutAfter(String text) {
        armed.set(new Cut(text, true));
    }

    public int cuts() {
        return cuts.get();
    }

    public void cutAll() {
        links.forEach(TcpProxyLink::lose);
    }

    /** Discards all bytes of the present connections from now on, as a firewall does. New connections work. */
    public void dropAll() {
        links.forEach(link -> link.dropped = true);
    }

    /** Stops delivery in both directions without closing connections, like a server that hangs. */
    public void freeze() {
        sender.freeze(true);
    }

    /** Delivers the bytes sent in the meantime, and resumes delivery. */
    public void thaw() {
        sender.freeze(false);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        selector.close();
        sender.close();
        cutAll();
    }

    private void read() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
        while (selector.isOpen()) {
            try {
                selector.select(key -> {
                    if (key.isAcceptable()) {
                        accept();
                    } else {
                        receive(key, buffer);
                    }
                });
            } catch (CancelledKeyException e) {
                // This connection is closing. Other connections continue.
            } catch (ClosedSelectorException e) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void accept() {
        SocketChannel client = null;
        try {
            client = listener.accept();
            if (client == null) {
                return;
            }
            TcpProxyLink link = new TcpProxyLink(client, SocketChannel.open(server), links);
            links.add(link);
            for (SocketChannel end : List.of(link.client, link.server)) {
                end.setOption(StandardSocketOptions.TCP_NODELAY, true);
                end.configureBlocking(false);
                end.register(selector, SelectionKey.OP_READ, link);
            }
        } catch (IOException | ClosedSelectorException e) {
            // The server is not running, or the proxy is closing.
            TcpProxyLink.closeQuietly(client);
        }
    }

    private void receive(SelectionKey key, ByteBuffer buffer) {
        TcpProxyLink link = (TcpProxyLink) key.attachment();
        boolean fromClient = key.channel() == link.client;
        DelayedSender.Flow flow = fromClient ? link.toServer : link.toClient;
        try {
            int read = ((SocketChannel) key.channel()).read(buffer.clear());
            if (read < 0) {
                key.cancel();
            }
            if (link.dropped) {
                return;
            }
            long due = System.nanoTime() + (fromClient ? nanosToServer : nanosToClient);
            if (read < 0) {
                sender.send(flow, DelayedSender.END, due);
                return;
            }
            buffer.flip();
            if (!delayOnly && (fromClient ? isCut(link, buffer) : link.cutAtReply)) {
                cuts.incrementAndGet();
                link.lose();
                return;
            }
            sender.send(
                    flow, ByteBuffer.allocate(buffer.remaining()).put(buffer).flip(), due);
        } catch (IOException e) {
            link.lose();
        }
    }

    /** Whether to close the connection before these bytes are sent to the server. */
    private boolean isCut(TcpProxyLink link, ByteBuffer sent) {
        List<String> executed = new ArrayList<>(link.sql.read(sent));
        Cut cut = armed.get();
        if (cut == null
                || executed.stream().noneMatch(sql -> sql.contains(cut.text()))
                || !armed.compareAndSet(cut, null)) {
            return false;
        }
        link.cutAtReply = cut.executed();
        return !cut.executed();
    }
}
