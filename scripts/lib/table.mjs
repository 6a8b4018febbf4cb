/** Formats rows as columns: the first aligned left, the others right. */
export function table(rows) {
  const widths = rows[0].map((_, column) =>
    Math.max(...rows.map((row) => String(row[column]).length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column]),
        )
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}
