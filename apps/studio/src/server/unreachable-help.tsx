import { CopyButton } from '../ui/index.ts'
import { isThisMachine } from './server-address.ts'

/** Explains why a server may not respond; browsers do not tell pages the reason. */
export function UnreachableHelp({ url }: { readonly url: string }) {
  const option = `--allow-origin ${location.origin}`
  if (url.startsWith('http:') && !isThisMachine(url)) {
    return (
      <p>
        This page may only talk to servers by https, or to those of this machine. Put the server
        behind https, or open the Studio that it serves itself.
      </p>
    )
  }
  return (
    <>
      <p>
        Either nothing listens at {url}, or the server does not let pages of {location.origin} use
        it. In that case start it with this option, or name the origin in{' '}
        <code>allowedOrigins</code>:
      </p>
      <p className="option-line">
        <code>{option}</code>
        <CopyButton text={option} />
      </p>
    </>
  )
}
