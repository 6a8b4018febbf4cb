import { useMemo, useState } from 'react'
import type { SyntheticEvent } from 'react'
import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { readString } from '../../json/index.ts'
import {
  accessTo,
  isCrossOrigin,
  saveFromServer,
  toSafeDownload,
  useFileSize,
} from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { toSize } from '../../text/index.ts'
import { FileIcon } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'

const filesOf = ({ files }: Transcript): Transcript['files'] => files

interface FileListProps {
  /** Id of the run that created the files. */
  readonly run: string | undefined
  /** This is the latest run, which also shows files of unknown runs. */
  readonly isLast: boolean
}

/** Lists the files that a run created, with their locations. */
export function FileList({ run, isLast }: FileListProps) {
  const { session, server, fileRuns } = useStudio()
  const all = useTranscript(session, filesOf)
  const files = useMemo(
    () =>
      all.filter((file) => {
        const maker = fileRuns.runOf(readString(file, 'file_id') ?? '')
        return maker === undefined ? isLast : maker === run
      }),
    [all, fileRuns, run, isLast],
  )
  if (files.length === 0) return null
  return (
    <ul className="files" aria-label="Files">
      {files.map((file, index) => {
        const name = readString(file, 'filename') ?? 'Unnamed file'
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
      // Browsers download files of the page's own origin without a token.
      if (!isCrossOrigin(href) && !accessTo(server).getSnapshot().hasToken) return
      event.preventDefault()
      setProblem('')
      saveFromServer(server, href, name).catch((error: Error) => setProblem(error.message))
    }
    return (
      <>
        <a href={href} download={name} title="Download" onClick={save}>
          <VisibleText text={name} isSingleLine />
        </a>
        {size !== undefined && <span className="muted">{toSize(size)}</span>}
        {problem && <span role="alert">{problem}</span>}
      </>
    )
  }
  return (
    <>
      <strong>
        <VisibleText text={name} isSingleLine />
      </strong>
      <span className="muted">{place ? `stored as ${place}` : 'stored by the provider'}</span>
    </>
  )
}
