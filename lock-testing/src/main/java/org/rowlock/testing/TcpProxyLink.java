package org.rowlock.testing;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** The connection of a client to a {@link TcpProxy}, with the matching connection from the proxy to the server. */
final class TcpProxyLink {
    final SocketChannel client;
    final SocketChannel server;
    final DelayedSender.Flow toServer;
    final DelayedSender.Flow toClient;
    final FrontendSql sql = new FrontendSql();
    volatile boolean cutAtReply;
    volatile boolean dropped;
    private final Set<TcpProxyLink> all;

    /** Links two channels. The link leaves the set of all links of the proxy when it is lost. */
    TcpProxyLink(SocketChannel client, SocketChannel server, Set<TcpProxyLink> all) {
        this.client = client;
        this.server = server;
        this.all = all;
        this.toServer = new DelayedSender.Flow(server, this::lose);
        this.toClient = new DelayedSender.Flow(client, this::lose);
    }

    void lose() {
        all.remove(this);
        closeQuietly(client);
        closeQuietly(server);
    }

    static void closeQuietly(SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // The connection is already closed.
        }
    }
}
