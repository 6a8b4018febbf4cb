import { CopyButton } from '../ui/index.ts'
import { isLocalAddress } from './server-address.ts'

/** Explains why a server may not respond; browsers do not report the reason to pages. */
export function UnreachableHelp({ url }: { readonly url: string }) {
  const option = `--allow-origin ${location.origin}`
  if (url.startsWith('http:') && !isLocalAddress(url)) {
    return (
      <p>
        This page can only use servers with https, or those on this machine. Put the server behind
        https, or open the Studio that it serves.
      </p>
    )
  }
  return (
    <>
      <p>
        Either nothing listens at {url}, or the server does not allow pages of {location.origin}. In
        that case start it with this option, or add the origin to <code>allowedOrigins</code>:
      </p>
      <p className="option-line">
        <code>{option}</code>
        <CopyButton text={option} />
      </p>
    </>
  )
}
