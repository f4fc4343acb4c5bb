package org.rowlock.doctor;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.Texts;
import org.rowlock.tool.UserError;

/**
 * An earlier diagnosis to compare with.
 *
 * @param started when the earlier sampling began, in UTC
 * @param figures the earlier figures by name
 */
record Before(String started, Map<String, Double> figures) {
    private static final String ADVICE = " Give one that doctor --json of this version or newer wrote.";

    /** The part of {@link Diagnosis#json} that a comparison needs. */
    private record Saved(@Nullable Start seen, @Nullable Map<String, Double> figures) {}

    private record Start(String started) {}

    /** Reads a diagnosis that {@code --json} printed. */
    static Before read(Path file) {
        Saved saved = Texts.json(file, Saved.class, ADVICE);
        if (saved == null || saved.seen() == null || saved.figures() == null) {
            throw new UserError("The file " + file + " has no diagnosis." + ADVICE);
        }
        return new Before(saved.seen().started(), saved.figures());
    }

    String text(Diagnosis now) {
        String lines = now.figures().entrySet().stream()
                .map(each -> "    " + Figures.words("compared." + each.getKey()) + ": "
                        + (figures.containsKey(each.getKey())
                                ? Figures.show(each.getKey(), figures.get(each.getKey()))
                                : "-")
                        + " -> " + Figures.show(each.getKey(), each.getValue()))
                .collect(Collectors.joining(System.lineSeparator()));
        return "Since " + started + ":" + System.lineSeparator() + lines + System.lineSeparator();
    }
}
