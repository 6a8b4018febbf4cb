/** Values of browsers that deny storage, for the lifetime of the page. */
const memoryValues = new Map<string, string>()

/** Returns a value of this tab, which survives a reload. */
export function readTabValue(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? memoryValues.get(key)
  } catch {
    return memoryValues.get(key)
  }
}

/** Stores a value until the tab is closed; undefined removes it. */
export function storeTabValue(key: string, value: string | undefined): void {
  memoryValues.delete(key)
  try {
    // If there is no space, the old value must not remain.
    sessionStorage.removeItem(key)
    if (value !== undefined) sessionStorage.setItem(key, value)
  } catch {
    if (value !== undefined) memoryValues.set(key, value)
  }
}
