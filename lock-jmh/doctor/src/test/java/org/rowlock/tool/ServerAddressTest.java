package org.rowlock.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks which URLs are accepted, and that no message contains the password of a URL. */
class ServerAddressTest {
    private final Logger driver = Logger.getLogger("org.postgresql");
    private final List<String> logged = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord message) {
            logged.add(new SimpleFormatter().format(message));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        driver.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        driver.removeHandler(handler);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://me:topsecret@localhost:1/app | --password",
                "jdbc:postgresql://me:topsecret@localhost/app | --password",
                "jdbc:postgresql://me:top/secret@localhost/app | --password",
                "jdbc:postgresql://me:top?secret@localhost/app | jdbc:postgresql://localhost:5432/postgres",
                "jdbc:postgresql:me:topsecret@localhost/app | --password",
                "postgresql://me:topsecret@localhost/app | --password",
                "jdbc:postgresql://localhost:1/app;password=topsecret | question mark",
                "jdbc:postgresql://localhost:1/app&user=me&password=topsecret | question mark",
                "jdbc:postgresql://localhost:1;password=topsecret/app | question mark",
                "jdbc:postgresql://localhost:1/app?user=me;password=topsecret | &",
                "jdbc:postgresql://localhost:1/app?user=me?password=topsecret | &",
                "jdbc:postgresql://localhost:1?password=topsecret | jdbc:postgresql://localhost:5432/postgres",
                "jdbc:postgresql://localhost/topsecret/app | jdbc:postgresql://localhost:5432/postgres",
                "jdbc:postgresql://localhost:topsecret/app | jdbc:postgresql://localhost:5432/postgres",
            })
    void aUrlOfAnotherShapeIsRefusedWithoutBeingShown(String url, String advice) {
        assertThatThrownBy(() -> new ServerAddress(url, null, null))
                .isInstanceOf(UserError.class)
                .hasMessageContaining(advice)
                .hasMessageNotContaining("secret")
                .hasNoCause();
        assertThat(logged).noneMatch(line -> line.contains("secret"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/app",
                "jdbc:postgresql://db:5433/",
                "jdbc:postgresql://db1:5433,db2/app?targetServerType=primary&password=to@p;secret",
                "jdbc:postgresql://[::1]:5433/app",
                "jdbc:postgresql:///app?socketFactory=some.Factory",
                "jdbc:postgresql://?user=me",
                "jdbc:postgresql:app",
                "jdbc:postgresql:",
                "jdbc:postgresql://db/a%40b%3Bc%3Dd",
            })
    void whatTheDriverKnowsIsTaken(String url) {
        assertThat(new ServerAddress(url, null, null).toString()).isNotEmpty().doesNotContain("secret");
        assertThat(logged).isEmpty();
    }

    /** The settings of an application with the drop-in contain the URL of the drop-in. */
    @Test
    void theUrlOfTheDropInLeadsToTheSameServer() {
        ServerAddress address =
                new ServerAddress("jdbc:rowlock:postgresql://db:5433/app?rowlock.mode=observe", null, null);

        assertThat(address).hasToString("db:5433/app");
        assertThat(address.dataSource("doctor").getDatabaseName()).isEqualTo("app");
    }
}
