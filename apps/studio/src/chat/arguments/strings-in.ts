/** All strings and names of fields in a JSON value, however deep. */
export function* stringsIn(value: unknown): Generator<string> {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === 'string') yield each
    if (typeof each !== 'object' || each === null) continue
    for (const [name, part] of Object.entries(each)) left.push(name, part)
  }
}
