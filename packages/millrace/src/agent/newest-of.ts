/** The last so many members of a record, in the order in which they were put in. */
export function newestOf<Member>(
  record: Readonly<Record<string, Member>>,
  count: number,
): Readonly<Record<string, Member>> {
  const members = Object.entries(record)
  return Object.fromEntries(members.slice(Math.max(0, members.length - count)))
}
