/** Something that was opened and has to be closed. */
export interface Closable {
  close(): Promise<void>
}

/** Notes how to close a part once it is open. */
export type OnClose = (closePart: () => Promise<unknown>) => void

/** Opens parts that belong together; those that were opened are closed again if the rest fails. */
export async function openTogether<Parts>(
  openParts: (onClose: OnClose) => Promise<Parts>,
): Promise<Parts & Closable> {
  const closers: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const closePart of closers.splice(0).reverse()) await closePart()
  }
  try {
    return { ...(await openParts((closePart) => closers.push(closePart))), close }
  } catch (error) {
    await close()
    throw error
  }
}
