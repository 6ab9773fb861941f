package github

import (
	"testing"

	gh "github.com/google/go-github/v60/github"
)

// A comment is ours where its author is the token's owner, by number where both have one.
func TestActorIsAuthor(t *testing.T) {
	user := func(login string, id int64, kind string) *gh.User {
		return &gh.User{Login: &login, ID: &id, Type: &kind}
	}
	for _, c := range []struct {
		me   Actor
		them *gh.User
		want bool
	}{
		{Actor{Login: "mona", ID: 7}, user("mona", 7, "User"), true},
		{Actor{Login: "mona", ID: 7}, user("renamed", 7, "User"), true},
		{Actor{Login: "mona", ID: 7}, user("mona", 8, "User"), false},
		{Actor{Login: "mona"}, user("mona", 8, "User"), true},
		{Actor{Login: "mona"}, user("lisa", 8, "User"), false},
		{Actor{Login: "github-actions[bot]"}, user("github-actions[bot]", 8, "Bot"), true},
		{Actor{Login: "github-actions[bot]"}, user("github-actions", 8, "Bot"), true},
		{Actor{Login: "github-actions[bot]"}, user("github-actions", 8, "User"), false},
		{Actor{Login: "github-actions"}, user("github-actions[bot]", 8, "Bot"), false},
		{Actor{}, user("", 0, "User"), false},
		{Actor{Login: "mona", ID: 7}, user("mona", 0, "User"), true},
	} {
		if got := c.me.is(c.them); got != c.want {
			t.Errorf("%+v is %s %d %s: %v", c.me, c.them.GetLogin(), c.them.GetID(), c.them.GetType(), got)
		}
	}
}
