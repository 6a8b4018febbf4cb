import { useEffect, useState } from 'react'

/** Copies a text and says so for a moment. */
export function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => {
    // Browsers offer the clipboard on secure origins only, and may refuse.
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  }
  return (
    <button type="button" className="quiet-button" onClick={copy}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  )
}
