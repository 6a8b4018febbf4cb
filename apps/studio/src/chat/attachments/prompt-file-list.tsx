import { useState } from 'react'
import { isCrossOrigin, useFileSize, useServerSource } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { toSize } from '../../text/index.ts'
import { FileIcon } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'

/** A file of a prompt, as it is shown. */
export interface ShownPromptFile {
  readonly name: string | undefined
  /** Common name of its type. */
  readonly kind: string | undefined
  /** Size in bytes, as far as the prompt states it. */
  readonly size: number | undefined
  /** Address of the file on the server, if it is stored there. */
  readonly place?: string | undefined
  readonly isPicture?: boolean
}

/** Lists the files of a prompt. */
export function PromptFileList({ files }: { readonly files: readonly ShownPromptFile[] }) {
  if (files.length === 0) return null
  return (
    <ul className="bubble-files" aria-label="Files of the prompt">
      {files.map((file, index) => (
        <Item key={index} file={file} />
      ))}
    </ul>
  )
}

function Item({ file }: { readonly file: ShownPromptFile }) {
  const { name, kind, size: statedSize, place, isPicture = false } = file
  const { server } = useStudio()
  const size = useFileSize(place, server) ?? statedSize
  const facts = [name && kind, size !== undefined && toSize(size)].filter(Boolean)
  const picture = isPicture ? place : undefined
  return (
    <li data-picture={picture !== undefined || undefined}>
      {picture === undefined ? <FileIcon /> : <Thumbnail picture={picture} />}
      <span>
        <VisibleText text={name || kind || 'A file'} isSingleLine />
      </span>
      {facts.length > 0 && <span className="muted">{facts.join(' · ')}</span>}
    </li>
  )
}

/** Shows a small preview; the name of the file is beside it. */
function Thumbnail({ picture }: { readonly picture: string }) {
  const { server } = useStudio()
  const [missing, setMissing] = useState<string>()
  const { source } = useServerSource(picture, server)
  if (source === undefined || missing === source) return <FileIcon />
  return (
    <img
      src={source}
      alt=""
      loading="lazy"
      decoding="async"
      // Images of another origin need this mode.
      {...(isCrossOrigin(source) && { crossOrigin: 'anonymous' })}
      onError={() => setMissing(source)}
    />
  )
}
