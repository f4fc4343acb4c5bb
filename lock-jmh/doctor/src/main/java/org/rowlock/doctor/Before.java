package org.rowlock.doctor;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.UserError;

/**
 * An earlier diagnosis to compare with.
 *
 * @param started when the earlier sampling began, in UTC
 * @param figures the earlier figures by name
 */
record Before(String started, Map<String, Double> figures) {
    /**
     * Reads a diagnosis that {@code --json} printed.
     *
     * @throws UserError if the file cannot be read, or does not hold a diagnosis
     */
    static Before read(Path file) {
        try {
            JsonObject json = new Gson().fromJson(Files.readString(file), JsonObject.class);
            if (json != null && json.has("figures") && json.has("seen")) {
                Map<String, Double> figures =
                        new Gson().fromJson(json.get("figures"), new TypeToken<Map<String, Double>>() {}.getType());
                return new Before(json.getAsJsonObject("seen").get("started").getAsString(), figures);
            }
        } catch (IOException e) {
            throw new UserError(
                    "The file " + file + " cannot be read: " + e + ". Give one that doctor --json wrote.", e);
        } catch (JsonParseException | IllegalStateException | UnsupportedOperationException e) {
            throw noDiagnosis(file, e);
        }
        throw noDiagnosis(file, null);
    }

    private static UserError noDiagnosis(Path file, @Nullable Exception cause) {
        return new UserError(
                "The file " + file + " has no diagnosis. Give one that doctor --json of this version or newer wrote.",
                cause);
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
