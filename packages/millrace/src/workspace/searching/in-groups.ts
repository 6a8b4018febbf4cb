/** Collects values into groups of a size; the last may be smaller. */
export async function* inGroups<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  size: number,
): AsyncGenerator<Value[]> {
  let group: Value[] = []
  for await (const value of values) {
    if (group.push(value) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
