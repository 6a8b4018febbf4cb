import { useState } from 'react'
import { useStudio } from '../session/studio-context.ts'
import { useKept } from './rows/keep.ts'

/** The prompt that is being written, which neither a look at the past nor a reload loses. */
export function useDraftText(): readonly [string, (text: string) => void] {
  const { server } = useStudio()
  const [first] = useState(() => readDraft(server))
  const [text, setText] = useKept('prompt', first)
  const write = (next: string) => {
    setText(next)
    keepDraft(server, next)
  }
  return [text, write]
}

/** A conversation is in the address once something was asked; a draft before that is of any new one. */
function toKey(server: string): string {
  const session = new URL(location.href).searchParams.get('session') ?? ''
  return `millrace-draft ${server} ${session}`
}

function readDraft(server: string): string {
  try {
    return sessionStorage.getItem(toKey(server)) ?? ''
  } catch {
    return ''
  }
}

/** Keeps what was written for this tab; where browsers refuse to keep anything, it lives as long as the page. */
function keepDraft(server: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(toKey(server))
    else sessionStorage.setItem(toKey(server), text)
  } catch {}
}
