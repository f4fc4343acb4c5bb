package org.rowlock.tool;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the texts of the program, and makes text from the server safe to print. */
public final class Texts {
    private static final Pattern CONTROL =
            Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    private static final ResourceBundle WORDS = ResourceBundle.getBundle("org.rowlock.tool.words");

    private Texts() {}

    static String words(String key) {
        return WORDS.containsKey(key) ? WORDS.getString(key) : "";
    }

    /** Reads a resource of the program. A name without a path is relative to the class. */
    public static String resource(Class<?> beside, String name) {
        try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a file of JSON; null if the file is empty.
     *
     * @param advice the end of the message if the file cannot be read
     */
    public static <T> @Nullable T json(Path file, Class<T> type, String advice) {
        try {
            return new Gson().fromJson(Files.readString(file), type);
        } catch (IOException | JsonParseException e) {
            throw new UserError("The file " + file + " cannot be read: " + e + "." + advice, e);
        }
    }

    /**
     * Replaces characters that control a terminal: C0, C1 and changes of writing direction. Names on the server may
     * contain such characters.
     */
    public static String printable(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
