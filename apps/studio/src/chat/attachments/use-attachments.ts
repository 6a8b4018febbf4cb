import { useCallback, useEffect, useRef, useState } from 'react'
import type { StudioSession } from '../../session/index.ts'
import { MAX_FILES, findFileProblem } from './attachment.ts'
import type { Attachment } from './attachment.ts'
import { uploadFile } from './upload-file.ts'

/** The files that are attached to the next prompt. */
export interface Attachments {
  readonly list: readonly Attachment[]
  /** All files are uploaded. */
  readonly isReady: boolean
  /** Reason why some of the last files were not added. */
  readonly problem: string | undefined
  readonly add: (files: Iterable<File>) => void
  readonly remove: (key: number) => void
  /** Empties the list after sending; the server keeps the files. */
  readonly clear: () => void
}

/** Uploads stop when another session is shown. */
const UPLOAD_INTERRUPTED = 'The upload was interrupted. Attach the file again.'

let nextKey = 1

/** Uploads attached files one after the other while the prompt is written. */
export function useAttachments({ session, kept }: StudioSession): Attachments {
  const [list, setList] = useState(() => readKept(kept))
  const [problem, setProblem] = useState<string>()
  const uploads = useRef(new Map<number, AbortController>())
  const queue = useRef(Promise.resolve())

  useEffect(() => void kept.set('attachments', list), [kept, list])
  useEffect(() => {
    const { current } = uploads
    return () => {
      for (const upload of current.values()) upload.abort()
    }
  }, [])

  const change = useCallback((key: number, changes: Partial<Attachment>) => {
    setList((before) => before.map((each) => (each.key === key ? { ...each, ...changes } : each)))
  }, [])

  const upload = useCallback(
    async (key: number, file: File, { signal }: AbortController) => {
      if (signal.aborted) return
      const onProgress = (progress: number) => change(key, { progress })
      try {
        change(key, { uploaded: await uploadFile(session, file, { onProgress, signal }) })
      } catch (error) {
        change(key, { problem: error instanceof Error ? error.message : String(error) })
      }
    },
    [session, change],
  )

  const count = list.length
  const add = useCallback(
    (files: Iterable<File>) => {
      const given = [...files]
      const taken = given.slice(0, MAX_FILES - count)
      const tooMany = `A prompt can have ${MAX_FILES} files; the others were not added.`
      setProblem(taken.length < given.length ? tooMany : undefined)
      for (const file of taken) {
        const attachment = toAttachment(file)
        const controller = new AbortController()
        uploads.current.set(attachment.key, controller)
        setList((before) => [...before, attachment])
        if (attachment.problem !== undefined) continue
        queue.current = queue.current.then(() => upload(attachment.key, file, controller))
      }
    },
    [count, upload],
  )

  const remove = useCallback((key: number) => {
    uploads.current.get(key)?.abort()
    uploads.current.delete(key)
    setProblem(undefined)
    setList((before) => before.filter((each) => each.key !== key || release(each)))
  }, [])

  const clear = useCallback(() => {
    uploads.current.clear()
    setProblem(undefined)
    setList([])
  }, [])

  const isReady = list.every(({ uploaded }) => uploaded !== undefined)
  return { list, isReady, problem, add, remove, clear }
}

/** Returns the attachments that the session had when it was last shown. */
function readKept(kept: StudioSession['kept']): readonly Attachment[] {
  const list = (kept.get('attachments') ?? []) as readonly Attachment[]
  return list.map((each) =>
    each.uploaded ? each : { ...each, problem: each.problem ?? UPLOAD_INTERRUPTED },
  )
}

function toAttachment(file: File): Attachment {
  const isImage = /^image\/(?:png|jpeg|gif|webp)$/.test(file.type)
  return {
    key: nextKey++,
    name: file.name || 'Pasted image',
    size: file.size,
    isImage,
    preview: isImage ? URL.createObjectURL(file) : undefined,
    progress: 0,
    uploaded: undefined,
    problem: findFileProblem(file),
  }
}

/** Releases a preview; always returns false, for use in a filter. */
function release({ preview }: Attachment): boolean {
  if (preview !== undefined) URL.revokeObjectURL(preview)
  return false
}
