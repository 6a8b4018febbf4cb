/** Decodes a message between processes; empty for other formats, because every client of the database may send. */
export function decodeMessage(message: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(message)
    return Array.isArray(value) ? (value as unknown[]) : []
  } catch {
    return []
  }
}
