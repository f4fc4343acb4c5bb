package org.rowlock.jmh.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.rowlock.testing.TcpProxy;

/** The proxy, in a process of its own, so that it takes no time from the clients' threads. It ends with its parent. */
final class ProxyProcess {
    private ProxyProcess() {}

    /**
     * Writes its port. Then it reads delays of each direction in nanoseconds, one on each line, and confirms each delay
     * when it is in effect.
     *
     * @param args host and port of the server
     */
    public static void main(String[] args) throws IOException {
        try (TcpProxy proxy = TcpProxy.to(args[0], Integer.parseInt(args[1]));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            proxy.sleepOnly();
            System.out.println(proxy.port());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Duration delay = Duration.ofNanos(Long.parseLong(line));
                proxy.delay(delay, delay);
                System.out.println(line);
            }
        }
    }
}
