import { useEffect, useState } from 'react'
import type { SyntheticEvent } from 'react'
import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { isForeign, toSafeDownload } from '../markdown/safe-url.ts'
import { accessTo } from '../server/access.ts'
import { saveFromServer } from '../server/save-from-server.ts'
import { useStudio } from '../session/studio-context.ts'
import { FileIcon } from '../shell/icons.tsx'
import { readString } from '../text/read-field.ts'
import { toSize } from './attach/attachment.ts'

const filesOf = ({ files }: Transcript): Transcript['files'] => files

/** The files that the conversation has made, and where they are kept. */
export function FileList() {
  const { session, server } = useStudio()
  const files = useTranscript(session, filesOf)
  if (files.length === 0) return null
  return (
    <ul className="files" aria-label="Files">
      {files.map((file, index) => {
        const name = readString(file, 'filename') ?? 'A file without a name'
        const place = readString(file, 'storage_location')
        return (
          <li key={readString(file, 'file_id') ?? index}>
            <FileIcon />
            <FileName href={toSafeDownload(place, server)} {...{ name, place, server }} />
          </li>
        )
      })}
    </ul>
  )
}

interface FileNameProps {
  readonly name: string
  readonly place: string | undefined
  readonly href: string | undefined
  readonly server: string
}

function FileName({ name, place, href, server }: FileNameProps) {
  const size = useFileSize(href, server)
  const [problem, setProblem] = useState('')
  if (href !== undefined) {
    const save = (event: SyntheticEvent) => {
      // Browsers save what is of the page's own origin, and show it no token.
      if (!isForeign(href) && !accessTo(server).getSnapshot().hasToken) return
      event.preventDefault()
      setProblem('')
      saveFromServer(server, href, name).catch((error: Error) => setProblem(error.message))
    }
    return (
      <>
        <a href={href} download={name} title="Download" onClick={save}>
          {name}
        </a>
        {size !== undefined && <span className="muted">{toSize(size)}</span>}
        {problem && <span role="alert">{problem}</span>}
      </>
    )
  }
  return (
    <>
      <strong>{name}</strong>
      <span className="muted">{place ? `kept as ${place}` : 'kept by the provider'}</span>
    </>
  )
}

/** How large a file is, as the server says; undefined until it has. */
function useFileSize(href: string | undefined, server: string): number | undefined {
  const [size, setSize] = useState<number>()
  useEffect(() => {
    if (href === undefined) return undefined
    const controller = new AbortController()
    fetch(href, {
      method: 'HEAD',
      headers: accessTo(server).headers(),
      signal: controller.signal,
    })
      .then(({ ok, headers }) => {
        const length = Number(headers.get('content-length') ?? Number.NaN)
        if (ok && Number.isFinite(length)) setSize(length)
      })
      .catch(() => {}) // without its size it can be saved all the same
    return () => controller.abort()
  }, [href, server])
  return size
}
