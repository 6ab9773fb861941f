package facts

import "github.com/xlagate/xlagate/internal/hlo"

func newReader(m *hlo.Module) *reader { return readerOf(m, newInterner()) }
