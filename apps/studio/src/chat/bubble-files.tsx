import { useState } from 'react'
import { isForeign } from '../markdown/safe-url.ts'
import { useServerSource } from '../server/use-server-source.ts'
import { useStudio } from '../session/studio-context.ts'
import { FileIcon } from '../shell/icons.tsx'

/** A file of a question. */
export interface BubbleFile {
  readonly name: string
  readonly size: string | undefined
  /** The address at which the server keeps it, if it is a picture. */
  readonly picture?: string | undefined
}

/** The files that a question came with. */
export function BubbleFiles({ files }: { readonly files: readonly BubbleFile[] }) {
  if (files.length === 0) return null
  return (
    <ul className="bubble-files" aria-label="Files of the question">
      {files.map(({ name, size, picture }, index) => (
        <li key={index} data-picture={picture !== undefined || undefined}>
          {picture === undefined ? <FileIcon /> : <Thumbnail picture={picture} />}
          <span>{name}</span>
          {size && <span className="muted">{size}</span>}
        </li>
      ))}
    </ul>
  )
}

/** A small picture; its name stands beside it. */
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
      // A server of another origin lets pages have its images only so.
      {...(isForeign(source) && { crossOrigin: 'anonymous' })}
      onError={() => setMissing(source)}
    />
  )
}
