import { deleteSession, renameSession } from 'millrace/client'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { accessTo } from '../server/index.ts'
import { Modal } from '../ui/index.ts'
import type { SessionRow } from './session-row.ts'

/** The number of characters that a server accepts as a title. */
const MAX_TITLE = 120

interface SessionDialogProps {
  readonly server: string
  readonly row: SessionRow
  readonly onClose: () => void
  /** Called when the session was renamed or deleted. */
  readonly onChange: (change: 'renamed' | 'deleted') => void
}

/** Renames a session, or deletes it after a confirmation. */
export function SessionDialog({ server, row, onClose, onChange }: SessionDialogProps) {
  const [isDeleting, setDeleting] = useState(false)
  const { act, ...state } = useAction()
  const { url, headers } = accessTo(server)
  const place = { id: row.id, options: { url, headers } }
  if (isDeleting) {
    const remove = () => void act(deleteSession(place), () => onChange('deleted'))
    return <Deleting name={row.title || row.id} onDelete={remove} {...{ onClose, ...state }} />
  }
  const rename = (title: string) => void act(renameSession(place, title), () => onChange('renamed'))
  return (
    <Modal title="Rename or delete" onClose={onClose}>
      <TitleForm
        before={row.title ?? ''}
        onRename={rename}
        onDelete={() => setDeleting(true)}
        {...state}
      />
    </Modal>
  )
}

interface ActionState {
  readonly isBusy: boolean
  /** Reason why the last action failed; empty if it did not. */
  readonly problem: string
}

/** Runs one action at a time and keeps its error. */
function useAction() {
  const [state, setState] = useState<ActionState>({ isBusy: false, problem: '' })
  const act = async (work: Promise<unknown>, onDone: () => void) => {
    setState({ isBusy: true, problem: '' })
    try {
      await work
      onDone()
    } catch (error) {
      setState({ isBusy: false, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return { ...state, act }
}

interface TitleFormProps extends ActionState {
  readonly before: string
  readonly onRename: (title: string) => void
  readonly onDelete: () => void
}

function TitleForm({ before, onRename, onDelete, isBusy, problem }: TitleFormProps) {
  const [title, setTitle] = useState(before)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onRename(title)
  }
  return (
    <form className="token-form" onSubmit={submit}>
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
        <button type="button" className="button" onClick={onDelete}>
          Delete…
        </button>
        <button type="submit" className="button primary" disabled={isBusy || !title.trim()}>
          {isBusy ? 'Renaming…' : 'Rename'}
        </button>
      </div>
    </form>
  )
}

interface DeletingProps extends ActionState {
  readonly name: string
  readonly onClose: () => void
  readonly onDelete: () => void
}

function Deleting({ name, onClose, onDelete, isBusy, problem }: DeletingProps) {
  return (
    <Modal title="Delete this session?" onClose={onClose}>
      <p>
        “{name}” is deleted with its messages, history and files. A run under way is stopped. This
        cannot be undone.
      </p>
      <p className="form-problem" role="alert">
        {problem}
      </p>
      <div className="modal-actions">
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="button danger" disabled={isBusy} onClick={onDelete}>
          {isBusy ? 'Deleting…' : 'Delete it'}
        </button>
      </div>
    </Modal>
  )
}
