import { useState } from 'react'
import type { BlockImage } from 'millrace'
import { isCrossOrigin, toSafeImage, useServerSource } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { toSafeLink } from '../../ui/index.ts'

interface ResultImageProps {
  readonly image: BlockImage
  readonly label: string
}

/** Shows an image of a tool from the message or from the server; other images are linked and not loaded. */
export function ResultImage({ image: { src }, label }: ResultImageProps) {
  const { server } = useStudio()
  const [missing, setMissing] = useState<string>()
  const safe = toSafeImage(src, server)
  const { source, isMissing } = useServerSource(safe, server)
  if (safe === undefined) return <ForeignImage src={src} />
  if (isMissing || (source !== undefined && missing === source)) {
    return <p className="muted">The image could not be loaded.</p>
  }
  if (source === undefined) return <p className="muted">Loading the image…</p>
  const image = (
    <img
      src={source}
      alt={label}
      loading="lazy"
      decoding="async"
      // Images of another origin need this mode.
      {...(isCrossOrigin(source) && { crossOrigin: 'anonymous' })}
      onError={() => setMissing(source)}
    />
  )
  if (source.startsWith('data:')) return <div className="result-image">{image}</div>
  return (
    <a className="result-image" href={source} target="_blank" rel="noopener" title="Open the image">
      {image}
    </a>
  )
}

function ForeignImage({ src }: { readonly src: string }) {
  const link = toSafeLink(src)
  if (link === undefined) return <p className="muted">An image of an unsupported type.</p>
  return (
    <p className="muted">
      An external image, not loaded:{' '}
      <a href={link} target="_blank" rel="noopener noreferrer nofollow">
        {link.slice(0, 120)}
      </a>
    </p>
  )
}
