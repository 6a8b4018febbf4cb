import { useEffect, useState } from 'react'

/** Copies a text and confirms it briefly. */
export function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => {
    // Browsers only offer the clipboard on secure origins and may deny it.
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
