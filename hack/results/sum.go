package main

import (
	"errors"
	"go/ast"
	"go/token"
	"strconv"
)

// evaluate computes sums, differences, products and quotients.
func evaluate(e ast.Expr) (float64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.ParenExpr:
		return evaluate(e.X)
	case *ast.BinaryExpr:
		x, err := evaluate(e.X)
		if err != nil {
			return 0, err
		}
		y, err := evaluate(e.Y)
		if err != nil {
			return 0, err
		}
		switch e.Op {
		case token.ADD:
			return x + y, nil
		case token.SUB:
			return x - y, nil
		case token.MUL:
			return x * y, nil
		case token.QUO:
			return x / y, nil
		}
	}
	return 0, errors.New("only numbers, + - * / and parentheses")
}
