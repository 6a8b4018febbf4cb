import { createRoot } from 'react-dom/client'
import { Studio } from './app/index.ts'
import { ErrorBoundary } from './ui/boundary/index.ts'
import './styles/base.css'
import './styles/agent-colors.css'
import './styles/shell.css'
import './styles/notices.css'
import './styles/chat.css'
import './styles/welcome.css'
import './styles/composer.css'
import './styles/find.css'
import './styles/blocks.css'
import './styles/questions.css'
import './styles/calls.css'
import './styles/agents.css'
import './styles/hidden.css'
import './styles/jumps.css'
import './styles/markdown.css'
import './styles/wire.css'
import './styles/server.css'
import './styles/fault.css'

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <ErrorBoundary name="Studio" scope="page">
      <Studio />
    </ErrorBoundary>,
  )
}
