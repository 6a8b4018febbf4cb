/** How long after the last offer the store is asked again whether somebody else has written. */
const PAUSE_MS = 250

/** Knows whether the writer of a session hands over what it stores, so that the store need not be watched meanwhile. */
export interface LivePublishers {
  /** An offer was taken. */
  accept(): void
  /** There is something that was not offered, or could not be taken. */
  refuse(): void
  /** Resolves when nothing has been offered for a while, or something is to be read from the store. */
  pass(): Promise<void>
}

/** Builds what watches offers. */
export function createLivePublishers(): LivePublishers {
  let isRecent = false
  let wake = (): void => {}

  const pause = async (): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      wake = resolve
      timer = setTimeout(resolve, PAUSE_MS)
    })
    clearTimeout(timer)
  }

  return {
    accept: () => {
      isRecent = true
    },
    refuse: () => {
      isRecent = false
      wake()
    },
    pass: async () => {
      while (isRecent) {
        isRecent = false
        await pause()
      }
    },
  }
}
