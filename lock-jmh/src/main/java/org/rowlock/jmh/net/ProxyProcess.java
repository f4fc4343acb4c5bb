package org.rowlock.jmh.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.rowlock.testing.TcpProxy;

/**
 * The proxy, in a separate process, so that its threads do not compete inside the clients' JVM. The process ends with
 * its parent.
 */
final class ProxyProcess {
    private ProxyProcess() {}

    /**
     * Prints the port of the proxy. Each line of input is a delay per direction, in nanoseconds. The process prints the
     * line again when the delay is in effect.
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
