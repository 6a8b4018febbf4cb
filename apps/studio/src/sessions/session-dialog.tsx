import { deleteSession, renameSession } from 'millrace/client'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { accessTo } from '../server/access.ts'
import { Modal } from '../server/modal.tsx'
import type { SessionRow } from './session-row.ts'

/** The most characters that a server takes as a title. */
const MAX_TITLE = 120

interface SessionDialogProps {
  readonly server: string
  readonly row: SessionRow
  readonly onClose: () => void
  /** Called when the session has another title, or is gone. */
  readonly onChange: (change: 'renamed' | 'deleted') => void
}

/** Renames a session, or deletes it once that was confirmed. */
export function SessionDialog({ server, row, onClose, onChange }: SessionDialogProps) {
  const { id, title: before = '' } = row
  const [title, setTitle] = useState(before)
  const [isDeleting, setDeleting] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const { url, headers } = accessTo(server)
  const place = { id, options: { url, headers } }

  const act = async (change: 'renamed' | 'deleted', work: Promise<unknown>) => {
    setBusy(true)
    setProblem('')
    try {
      await work
      onChange(change)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const rename = (event: SyntheticEvent) => {
    event.preventDefault()
    void act('renamed', renameSession(place, title))
  }

  if (isDeleting) {
    return (
      <Modal key="delete" title="Delete this session?" onClose={onClose}>
        <p>
          “{before || id}” is deleted with its messages, history and files. A run under way is
          stopped. This cannot be undone.
        </p>
        <p className="form-problem" role="alert">
          {problem}
        </p>
        <div className="modal-actions">
          <button type="button" className="button" onClick={onClose}>
            Keep it
          </button>
          <button
            type="button"
            className="button danger"
            disabled={isBusy}
            onClick={() => void act('deleted', deleteSession(place))}
          >
            {isBusy ? 'Deleting…' : 'Delete it'}
          </button>
        </div>
      </Modal>
    )
  }
  return (
    <Modal key="rename" title="Rename or delete" onClose={onClose}>
      <form className="token-form" onSubmit={rename}>
        <label>
          Title
          <input
            value={title}
            maxLength={MAX_TITLE}
            autoComplete="off"
            aria-describedby="title-problem"
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <p id="title-problem" className="form-problem" role="alert">
          {problem}
        </p>
        <div className="modal-actions">
          <button type="button" className="button" onClick={() => setDeleting(true)}>
            Delete…
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !title.trim()}>
            {isBusy ? 'Renaming…' : 'Rename'}
          </button>
        </div>
      </form>
    </Modal>
  )
}
