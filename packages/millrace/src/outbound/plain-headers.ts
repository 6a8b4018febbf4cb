/** Headers by name, one value each. */
export type PlainHeaders = Readonly<Record<string, string>>
