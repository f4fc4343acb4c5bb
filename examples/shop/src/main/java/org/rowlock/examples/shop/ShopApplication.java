package org.rowlock.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The service. {@code ./rowlock shop} starts it on port 8080, with a PostgreSQL of its own. */
@SpringBootApplication
public class ShopApplication {
    /**
     * Starts the service.
     *
     * @param arguments arguments for Spring Boot, such as {@code --spring.profiles.active=advisory}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
