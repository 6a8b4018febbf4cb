import { useEffect, useState } from 'react'
import { encodeLabAddress } from '../settings/index.ts'
import type { LabView } from '../settings/index.ts'

/** Copies a link to the view, and reports a text that is too long for it. */
export function ShareButton({ view }: { readonly view: LabView }) {
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (message === '') return undefined
    const timer = setTimeout(() => setMessage(''), 4_000)
    return () => clearTimeout(timer)
  }, [message])
  const share = () => {
    const { hash, isWithoutText } = encodeLabAddress(view)
    history.replaceState(null, '', hash)
    const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error())
    copied.then(
      () => setMessage(isWithoutText ? 'Copied without the text: it is too long.' : 'Copied.'),
      () => setMessage('The link is in the address bar.'),
    )
  }
  return (
    <div className="share">
      <button type="button" className="button" onClick={share}>
        Copy link
      </button>
      <span role="status" className="muted">
        {message}
      </span>
    </div>
  )
}
