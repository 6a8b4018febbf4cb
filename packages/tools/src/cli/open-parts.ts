/** Closes a part of a command. */
export type ClosePart = () => Promise<void>

/**
 * Opens parts in sequence, each of which registers how it is closed. They are closed in reverse order: when `close` is
 * called, or at once if one of them cannot be opened.
 */
export async function openParts<Opened>(
  open: (onClose: (close: ClosePart) => void) => Promise<Opened>,
): Promise<{ readonly opened: Opened; readonly close: ClosePart }> {
  const closing: ClosePart[] = []
  const close = async (): Promise<void> => {
    for (const closePart of closing.splice(0).reverse()) await closePart()
  }
  try {
    return { opened: await open((part) => void closing.push(part)), close }
  } catch (error) {
    await close()
    throw error
  }
}
