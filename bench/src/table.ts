/** Formats rows as columns: the first ones aligned left, the others right. */
export function formatTable(
  rows: readonly (readonly string[])[],
  { leftColumns = 1 }: { readonly leftColumns?: number } = {},
): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths?.[column] ?? 0
          return column < leftColumns ? cell.padEnd(width) : cell.padStart(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
