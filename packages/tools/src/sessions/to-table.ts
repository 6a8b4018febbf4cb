import { toPlainLine } from 'millrace'

/** Formats a table, each column as wide as its longest cell. */
export function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows].map((row) => row.map((cell) => toPlainLine(cell, maxCell)))
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const maxCell = 72
