/** Closes one part of something. */
export type ClosePart = () => Promise<void>

/**
 * Opens parts one after the other, each of which says how it is closed. They are closed in the other order: when
 * `close` is called, or at once where one of them cannot be opened.
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
