/** An opened resource that must be closed. */
export interface Closable {
  close(): Promise<void>
}

/** Registers how an opened resource is closed. */
export type OnClose = (closePart: () => Promise<unknown>) => void

/** Opens resources together; if one fails, those already open are closed. */
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
