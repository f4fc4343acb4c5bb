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
 * A network between clients and a server that a test controls. It delays, freezes, and loses connections at a
 * statement, before the server receives it or after the server has executed it.
 *
 * <p>Two threads serve any number of connections: one reads, the other sends what is due.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int CHUNK = 1 << 16;

    private final InetSocketAddress server;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final DelayedSender sender = new DelayedSender();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Cut> armed = new AtomicReference<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile long nanosToServer;
    private volatile long nanosToClient;

    /** The place where a connection is lost: at a statement that contains a text. */
    private record Cut(String text, boolean executed) {}

    /** The connection of a client, and its counterpart to the server. */
    private final class Link {
        final SocketChannel client;
        final SocketChannel server;
        final DelayedSender.Flow toServer;
        final DelayedSender.Flow toClient;
        final FrontendSql sql = new FrontendSql();
        volatile boolean cutAtReply;
        volatile boolean dropped;

        Link(SocketChannel client, SocketChannel server) {
            this.client = client;
            this.server = server;
            this.toServer = new DelayedSender.Flow(server, this::lose);
            this.toClient = new DelayedSender.Flow(client, this::lose);
        }

        void lose() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }
    }

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

    /** Creates a proxy in front of a server. */
    public static TcpProxy to(String host, int port) throws IOException {
        return new TcpProxy(new InetSocketAddress(host, port));
    }

    /** Creates a proxy in front of the server to which a DataSource leads. */
    public static TcpProxy to(PGSimpleDataSource dataSource) throws IOException {
        return to(dataSource.getServerNames()[0], dataSource.getPortNumbers()[0]);
    }

    /** The port on which it listens, on the loopback address. */
    public int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** Makes a DataSource connect through this proxy. */
    public PGSimpleDataSource through(PGSimpleDataSource dataSource) throws IOException {
        dataSource.setServerNames(new String[] {"127.0.0.1"});
        dataSource.setPortNumbers(new int[] {port()});
        return dataSource;
    }

    /** Delays everything by this time from now on. A round trip takes the sum. */
    public void delay(Duration toServer, Duration toClient) {
        nanosToServer = toServer.toNanos();
        nanosToClient = toClient.toNanos();
    }

    /**
     * Stops spinning from now on, so that no processor is busy waiting. Delayed bytes then arrive about 50 us later.
     */
    public void sleepOnly() {
        sender.sleepOnly();
    }

    /** Loses the connection that next executes a statement with this text. The server never receives the statement. */
    public void cutBefore(String text) {
        armed.set(new Cut(text, false));
    }

    /** Loses the connection that next executes a statement with this text, along with the reply of the server. */
    public void cutAfter(String text) {
        armed.set(new Cut(text, true));
    }

    /** The number of connections that were lost at a statement. */
    public int cuts() {
        return cuts.get();
    }

    /** Loses all connections. */
    public void cutAll() {
        links.forEach(Link::lose);
    }

    /**
     * Makes the present connections deliver nothing from now on, as if a firewall had forgotten them. New ones work.
     */
    public void dropAll() {
        links.forEach(link -> link.dropped = true);
    }

    /** Delivers nothing to either side from now on, and closes no connection, like a server that hangs. */
    public void freeze() {
        sender.freeze(true);
    }

    /** Delivers what was sent in the meantime, and continues. */
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
                // A connection is being lost at this moment. The others continue.
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
            Link link = new Link(client, SocketChannel.open(server));
            links.add(link);
            for (SocketChannel end : List.of(link.client, link.server)) {
                end.setOption(StandardSocketOptions.TCP_NODELAY, true);
                end.configureBlocking(false);
                end.register(selector, SelectionKey.OP_READ, link);
            }
        } catch (IOException | ClosedSelectorException e) {
            // The server is away, or the proxy is closing. The client sees its connection closed.
            closeQuietly(client);
        }
    }

    private void receive(SelectionKey key, ByteBuffer buffer) {
        Link link = (Link) key.attachment();
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
            if (fromClient ? isCut(link, buffer) : link.cutAtReply) {
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

    /** Whether to lose the connection before these bytes are sent on. */
    private boolean isCut(Link link, ByteBuffer sent) {
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

    private static void closeQuietly(SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // The connection is gone, which is the aim.
        }
    }
}
