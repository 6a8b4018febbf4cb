/** Where browsers refuse to keep anything, a value lives as long as the page. */
const unkept = new Map<string, string>()

/** A value that this tab keeps over a reload, if it does. */
export function readInTab(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? unkept.get(key)
  } catch {
    return unkept.get(key)
  }
}

/** Keeps a value for this tab, until it is closed; undefined forgets it. */
export function keepInTab(key: string, value: string | undefined): void {
  unkept.delete(key)
  try {
    // What there is no room for must not leave what was there before.
    sessionStorage.removeItem(key)
    if (value !== undefined) sessionStorage.setItem(key, value)
  } catch {
    if (value !== undefined) unkept.set(key, value)
  }
}
