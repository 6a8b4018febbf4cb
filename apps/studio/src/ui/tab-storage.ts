/** Where browsers refuse to keep anything, a value lives as long as the page. */
const memoryValues = new Map<string, string>()

/** A value that this tab keeps over a reload, if it does. */
export function readTabValue(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? memoryValues.get(key)
  } catch {
    return memoryValues.get(key)
  }
}

/** Keeps a value for this tab, until it is closed; undefined forgets it. */
export function storeTabValue(key: string, value: string | undefined): void {
  memoryValues.delete(key)
  try {
    // What there is no room for must not leave what was there before.
    sessionStorage.removeItem(key)
    if (value !== undefined) sessionStorage.setItem(key, value)
  } catch {
    if (value !== undefined) memoryValues.set(key, value)
  }
}
