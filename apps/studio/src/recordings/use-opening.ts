import { useCallback, useRef, useState } from 'react'
import type { StudioSession } from '../session/index.ts'
import { loadModule } from '../ui/boundary/index.ts'
import { isNotRecorded } from './recorded-item.ts'

/** A file that is being opened. */
interface OpeningFile {
  readonly name: string
  /** Part that was read, from 0 to 1. */
  readonly part: number
}

/** Opens files and reports the progress. */
export interface Opening {
  readonly file: OpeningFile | undefined
  /** Reason why the last file could not be opened. */
  readonly problem: string | undefined
  /** Opens a file; calls `otherwise` if it is not a recording. */
  readonly open: (file: Blob, name: string, otherwise?: () => void) => Promise<void>
  /** Stops opening. */
  readonly cancel: () => void
  /** Shows or clears a problem. */
  readonly setProblem: (problem: string | undefined) => void
}

/** Opens recordings one at a time; the latest wins. */
export function useOpening(onOpen: (recorded: StudioSession, file: Blob) => void): Opening {
  const [file, setFile] = useState<OpeningFile>()
  const [problem, setProblem] = useState<string>()
  const current = useRef<AbortController>(undefined)

  const cancel = useCallback(() => {
    current.current?.abort()
    setFile(undefined)
  }, [])

  const open = useCallback(
    async (blob: Blob, name: string, otherwise?: () => void) => {
      current.current?.abort()
      const { signal } = (current.current = new AbortController())
      const onProgress = (part: number) => {
        if (!signal.aborted) setFile({ name, part })
      }
      setProblem(undefined)
      setFile({ name, part: 0 })
      try {
        const { openRecording } = await loadModule(() => import('./open-recording.ts'))
        const recorded = await openRecording(blob, { name, onProgress, signal })
        if (!signal.aborted) onOpen(recorded, blob)
      } catch (error) {
        if (signal.aborted) return
        if (otherwise && isNotRecorded(error)) otherwise()
        else setProblem(error instanceof Error ? error.message : String(error))
      }
      if (!signal.aborted) setFile(undefined)
    },
    [onOpen],
  )
  return { file, problem, open, cancel, setProblem }
}
