package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;

/** A table of text, whose columns go below each other where they do not fit beside each other. */
final class TextTable {
    private static final String INDENT = "  ";
    private static final String GAP = "   ";

    private final List<String> heads = new ArrayList<>();
    private final List<List<String>> columns = new ArrayList<>();

    /** The first column added is repeated in front of each row of columns. */
    TextTable column(String head, List<String> cells) {
        heads.add(head);
        columns.add(cells);
        return this;
    }

    /** Lines of no more than so many characters, unless two columns alone are wider. */
    List<String> lines(int width) {
        List<String> lines = new ArrayList<>();
        int next = 1;
        while (next < columns.size()) {
            List<Integer> shown = new ArrayList<>(List.of(0));
            int used = INDENT.length() + width(0);
            while (next < columns.size() && (shown.size() == 1 || used + GAP.length() + width(next) <= width)) {
                used += GAP.length() + width(next);
                shown.add(next++);
            }
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add(line(shown, -1));
            for (int row = 0; row < columns.get(0).size(); row++) {
                lines.add(line(shown, row));
            }
        }
        return lines;
    }

    private String line(List<Integer> shown, int row) {
        StringBuilder line = new StringBuilder(INDENT);
        for (int i = 0; i < shown.size(); i++) {
            int column = shown.get(i);
            String text = row < 0 ? heads.get(column) : columns.get(column).get(row);
            line.append(i == 0 ? "" : GAP).append(text).append(" ".repeat(width(column) - text.length()));
        }
        return line.toString().stripTrailing();
    }

    private int width(int column) {
        return Math.max(
                heads.get(column).length(),
                columns.get(column).stream().mapToInt(String::length).max().orElse(0));
    }
}
